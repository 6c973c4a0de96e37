# A Nix expression: `nix-build -E 'with import <nixpkgs> {}; callPackage ./.ci/packages/package.nix {}'` in a clone.
{ lib, rustPlatform, installShellFiles, git, openssh }:

let
  manifest = (lib.importTOML ../../Cargo.toml).package;
in
rustPlatform.buildRustPackage {
  pname = manifest.name;
  inherit (manifest) version;
  src = lib.cleanSource ../..;
  cargoLock.lockFile = ../../Cargo.lock;

  nativeBuildInputs = [ installShellFiles ];
  nativeCheckInputs = [ git openssh ];
  # The suite takes minutes and runs in CI.
  doCheck = false;

  postInstall = ''
    $out/bin/git-merkle man --install --folder $out/share/man
    installShellCompletion --cmd git-merkle \
      --bash <($out/bin/git-merkle completions bash) \
      --fish <($out/bin/git-merkle completions fish) \
      --zsh <($out/bin/git-merkle completions zsh)
  '';

  meta = {
    description = manifest.description;
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "git-merkle";
  };
}
