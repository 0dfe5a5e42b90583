// The game gets the keyboard at once, and the whole screen on demand.
const frame = document.querySelector('.game-frame')
const button = document.querySelector('#full-screen')
const leave = document.querySelector('#leave')
const sendsMs = 1_500

frame?.addEventListener('load', () => frame.focus())
if (button && document.fullscreenEnabled) {
  button.hidden = false
  button.addEventListener('click', async () => {
    await frame.requestFullscreen()
    frame.focus()
  })
}

// A game sends what is left when it is closed. So it is closed before the session, which ends at once.
leave?.form.addEventListener('submit', (event) => {
  if (!frame?.isConnected) return
  event.preventDefault()
  for (const one of [button, leave]) if (one) one.disabled = true
  leave.textContent = 'Saving…'
  frame.remove()
  setTimeout(() => leave.form.submit(), sendsMs)
})
