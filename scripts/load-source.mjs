// For generators: what the source says, as a module. Nothing of it is exported from the package.
import { build } from 'esbuild';
import { root } from './tools.mjs';

/** Bundles a few lines of imports and gives back what they export. */
export const loadSource = async (contents) => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: 'esm',
    platform: 'node',
    // The main files of some dependencies call a `require` that a bundle does not have.
    mainFields: ['module', 'main'],
    write: false,
    logLevel: 'silent',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
};
