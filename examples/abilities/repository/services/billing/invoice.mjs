// Prints an invoice.
const hours = Number(process.argv[2]);
console.log(`totl: ${hours * 14}`);
