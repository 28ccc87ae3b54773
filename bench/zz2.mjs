const { variants } = await import(`./${process.argv[2]}`);
const r = await variants[process.argv[3]](); const f = []; const n = Number(process.argv[4] ?? 20); for (let i = 0; i < n; i++) f.push(await r()); f.sort((a, b) => a - b); console.log(process.argv[3], 'min', f[0].toFixed(2), 'median', f[n >> 1].toFixed(2));
process.exit();
