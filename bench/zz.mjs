const { variants } = await import('./b09-worker.mjs');
for (const n of process.argv.slice(2)) { const r = await variants[n](); const f = []; for (let i = 0; i < 5; i++) f.push((await r()).toFixed(1)); console.log(n, f.join(' ')); }
process.exit();
