# A Homebrew formula: replace the address and the checksum of the source when a version is published.
class GitMerkle < Formula
  desc "Keeps what agents know about a repository inside the repository"
  homepage "https://example.org/git-merkle"
  url "https://example.org/git-merkle/archive/v0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    system bin/"git-merkle", "man", "--install", "--folder", man
    generate_completions_from_executable(bin/"git-merkle", "completions")
  end

  test do
    system "git", "init", "-q", "garden"
    cd "garden" do
      (testpath/"garden/README.md").write "# Garden\n\nPlans a vegetable garden.\n"
      system "git", "add", "."
      system "git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a garden"
      system "git", "merkle", "regenerate"
      assert_match "Plans a vegetable garden", shell_output("git merkle show README.md")
    end
  end
end
