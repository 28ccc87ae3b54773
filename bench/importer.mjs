// Imports one module and prints how many milliseconds this process has computed by then.
//   node bench/importer.mjs <url of the module>
const [url] = process.argv.slice(2);

await import(url);
const { user, system } = process.cpuUsage();
console.log((user + system) / 1_000);
