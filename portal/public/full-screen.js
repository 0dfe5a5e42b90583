// The game gets the keyboard focus at once, and the full screen on request.
const frame = document.querySelector('.game-frame')
const button = document.querySelector('#full-screen')

frame?.addEventListener('load', () => frame.focus())
if (button && !document.fullscreenEnabled) button.remove()
else if (button) {
  button.hidden = false
  button.addEventListener('click', async () => {
    await frame.requestFullscreen()
    // only phones can; elsewhere it is refused
    const { orientation } = frame.dataset
    if (orientation) screen.orientation?.lock?.(orientation).catch(() => {})
    frame.focus()
  })
}
