#!/bin/sh
# For a server: accepts frames only if nothing is taken away and each frame is good. Other refs pass.
#
# Install it as hooks/update of the bare repository, and 'git merkle' on the server's PATH.
# git gives the ref, the old id and the new id; zeros stand for a ref that is not there.
ref=$1 old=$2 new=$3
case $ref in
refs/merkle/* | refs/heads/_merkle/*) ;;
*) exit 0 ;;
esac
case $new in
*[!0]*) ;;
*)
	echo "error: '$ref' holds what was said, and is not deleted" >&2
	exit 1
	;;
esac
case $old in
*[!0]*)
	if ! git merge-base --is-ancestor "$old" "$new"; then
		echo "error: '$ref' only grows; run 'git merkle sync' and push again" >&2
		exit 1
	fi
	;;
esac
if ! faults=$(git merkle validate --quiet "$new" 2>&1); then
	printf '%s\n' "$faults" >&2
	echo "error: '$ref' would hold what is no good frame" >&2
	exit 1
fi
