#!/bin/sh
# A guard refuses by its answer. A guard that fails has no answer.
case $(cat) in
  *'"target":"production"'*)
    code=ABILITY_DENIED payload='"reason": "production is deployed by people", "require_human": true' ;;
  *)
    code=ABILITY_ALLOWED payload='"reason": "staging may be deployed by anybody"' ;;
esac
echo "{\"hook_signals\": [{\"kind\": \"ability_guard\", \"code\": \"$code\", \"payload\":
  {\"ability_id\": \"deploy_service\", $payload}}]}"
