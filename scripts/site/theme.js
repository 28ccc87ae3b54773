// Before anything is drawn, so that nothing flashes: what was chosen on this site wins over the setting of the system.
try {
  const chosen = localStorage.getItem('theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // A page that was opened from a disk may have no storage; then the system decides.
}
