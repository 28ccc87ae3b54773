// A custom executor decides where and how the processes of hooks run: in a container, on another machine, or, as here,
// without the secrets of the agent in their environment.
import { execFile } from 'node:child_process';
import { createHooks } from 'hookwright';

const isSecret = (name) => /TOKEN|SECRET|PASSWORD|KEY/i.test(name);

const withoutSecrets = ({ file, args, cwd, env, stdin, timeoutMs, limits, signal }) =>
  new Promise((resolve) => {
    const options = {
      cwd,
      env: Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name))),
      timeout: timeoutMs,
      maxBuffer: limits.stdoutBytes,
      signal,
    };
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ exitCode: 0, stdout, stderr });
      else if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') resolve({ tooLarge: true, stdout, stderr });
      else if (typeof error.code === 'string')
        resolve({ error }); // it could not be started
      else resolve({ exitCode: error.code, signal: error.signal, timedOut: error.killed, stdout, stderr });
    });
    child.stdin.on('error', () => {}); // a hook need not read its input
    child.stdin.end(stdin);
  });

process.env.API_TOKEN = 'abc123';
const tellToken = { name: 'tell-token', command: 'echo "I see API_TOKEN=$API_TOKEN"' };
const fails = { name: 'fails', command: 'exit 7' };
const hooksOf = { BeforeTool: [{ hooks: [tellToken, fails] }] };

for (const deps of [{}, { executor: withoutSecrets }]) {
  const hooks = await createHooks({ hooks: hooksOf, deps });
  const { messages, faults } = await hooks.beforeTool({ tool: 'read_file', input: { path: 'README.md' } });
  console.log(deps.executor === undefined ? 'the default executor:' : 'an executor of our own:');
  console.log('  ', messages.join(', '));
  console.log('  ', faults.map(({ hook, code, message }) => `${code} of ${hook} (${message})`).join(', '));
  await hooks.close();
}
