//! SIGKILL at system calls spread over installing and taking out: hooks of the user run on, and the next run mends it.

use super::{World, listing};
use crate::support::{PROGRAM, Sandbox, trace};

#[test]
fn a_kill_leaves_hooks_that_run_and_a_state_that_the_next_run_mends() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    world.hook(
        "post-commit",
        &format!("#!/bin/sh\n{}\nexit 3\n", world.noting()),
    );
    world.hook(
        "post-merge",
        "#!/usr/bin/awk -f\nBEGIN { print ARGC; exit 4 }\n",
    );
    let start = listing(&world.repo.path(""));
    let fire = |world: &World<'_>| (world.fire("post-commit"), world.fire("post-merge"));
    let did = fire(&world);
    for verb in ["install", "uninstall"] {
        let complete = world.repo.copy_to("complete");
        let prepare = |repo: &crate::support::Repo<'_>| {
            drop((verb == "uninstall").then(|| repo.merkle(&["hooks", "install"]).ok()));
        };
        prepare(&complete);
        let points = trace::count(&complete.run(PROGRAM).args(["hooks", verb])).points;
        for point in trace::sample(points) {
            let killed = World::at(&sandbox, world.repo.copy_to("killed"));
            prepare(&killed.repo);
            drop(trace::kill_at(
                &killed.repo.run(PROGRAM).args(["hooks", verb]),
                point,
            ));
            assert_eq!(fire(&killed), did, "{verb}, killed at {point} of {points}");
            killed.repo.merkle(&["hooks", "install"]).ok();
            assert_eq!(
                fire(&killed),
                did,
                "{verb}, killed at {point} of {points}, and installed again"
            );
            killed.repo.merkle(&["hooks", "uninstall"]).ok();
            let root = killed.repo.path("");
            let left = listing(&root).into_iter().map(|(path, entry)| {
                let below = path
                    .strip_prefix(&root)
                    .expect("what is listed stands below")
                    .to_owned();
                (world.repo.path("").join(below), entry)
            });
            let left = left.collect::<super::Listing>();
            let other: Vec<_> = left
                .iter()
                .filter(|(path, entry)| start.get(*path) != Some(*entry))
                .map(|(path, _)| path)
                .collect();
            assert!(
                left == start,
                "{verb}, killed at {point} of {points}: other than before are {other:?}"
            );
            std::fs::remove_dir_all(root).unwrap();
        }
        std::fs::remove_dir_all(complete.path("")).unwrap();
    }
}
