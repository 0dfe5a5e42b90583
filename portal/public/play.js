// The game gets the keyboard focus at once, and the full screen on request.
const frame = document.querySelector('.game-frame')
const button = document.querySelector('#full-screen')
const leave = document.querySelector('#leave')
const sendsMs = 1_500

frame?.addEventListener('load', () => frame.focus())
if (button && document.fullscreenEnabled) {
  button.hidden = false
  button.addEventListener('click', async () => {
    await frame.requestFullscreen()
    // only phones can; elsewhere it is refused
    const { orientation } = frame.dataset
    if (orientation) screen.orientation?.lock?.(orientation).catch(() => {})
    frame.focus()
  })
}

// A game sends its last statements when it closes, so the frame is removed before the session ends.
leave?.form.addEventListener('submit', (event) => {
  if (!frame?.isConnected) return
  event.preventDefault()
  for (const one of [button, leave]) if (one) one.disabled = true
  leave.textContent = 'Saving…'
  frame.remove()
  setTimeout(() => leave.form.submit(), sendsMs)
})
