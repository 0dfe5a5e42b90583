// Buttons with data-copy copy the text of the element with that id. Without scripts or clipboard they stay hidden.
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
