// Buttons with data-copy put the text of the element with that id on the clipboard; without script or clipboard they stay hidden.
for (const button of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) break
  button.hidden = false
  const words = button.innerHTML
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
    button.textContent = 'Copied'
    setTimeout(() => (button.innerHTML = words), 2000)
  })
}
