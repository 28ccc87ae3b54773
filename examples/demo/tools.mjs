// The tools of the agent. They do what they say, in the project of the demo.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const toolsIn = (directory) => {
  const at = (path) => join(directory, path);
  return {
    read_file: ({ path }) => ({ llmContent: readFileSync(at(path), 'utf8').trim() }),

    edit_file({ path, find, replace }) {
      writeFileSync(at(path), readFileSync(at(path), 'utf8').replace(find, replace));
      return { llmContent: `replaced "${find}" by "${replace}"` };
    },

    run_shell: ({ command, timeout_seconds = 60 }) =>
      new Promise((resolve) => {
        const options = { cwd: directory, timeout: timeout_seconds * 1_000 };
        execFile('sh', ['-c', command], options, (error, stdout, stderr) => {
          const printed = `${stdout}${stderr}`.trim();
          resolve({ llmContent: error === null ? printed : `${error.message}\n${printed}` });
        });
      }),
  };
};
