mkdir -p guards/.hookwright && cd guards
cat > no-rm.mjs <<'END'
export default ({ tool_input, agent }) =>
  tool_input.command?.startsWith('rm ') ? { decision: 'deny', reason: `no rm for ${agent?.cwd ?? 'you'}` } : undefined;
END
cat > .hookwright/settings.json <<'END'
{ "hooks": { "BeforeTool": [{ "hooks": [{ "type": "worker", "name": "no-rm", "command": "./no-rm.mjs", "onFault": "deny" }] }] } }
END
npx hookwright trust --yes
npx hookwright serve --nats nats://127.0.0.1:4222
