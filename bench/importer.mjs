// Imports one module and prints how many milliseconds that took.
//   node bench/importer.mjs <url of the module>
const [url] = process.argv.slice(2);

const started = performance.now();
await import(url);
console.log(performance.now() - started);
