#!/usr/bin/env bash
# The id is a number, and comes first in the line.
while IFS= read -r line; do
  id=${line#*:}
  id=${id%%,*}
  case $line in
    *'rm -rf'*) echo "{\"id\":$id,\"output\":{\"decision\":\"deny\",\"reason\":\"rm -rf is not allowed here\"}}" ;;
    *) echo "{\"id\":$id}" ;;
  esac
done
