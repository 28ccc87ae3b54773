// Imports one module and says how long that took.
//   node bench/importer.mjs <url of the module>
const [url] = process.argv.slice(2);

const started = performance.now();
await import(url);
process.send(performance.now() - started);
process.disconnect();
