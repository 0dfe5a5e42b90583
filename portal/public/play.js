// The game gets the keyboard at once, and the whole screen on demand.
const frame = document.querySelector('.game-frame')
const button = document.querySelector('#full-screen')

frame?.addEventListener('load', () => frame.focus())
if (button && document.fullscreenEnabled) {
  button.hidden = false
  button.addEventListener('click', async () => {
    await frame.requestFullscreen()
    frame.focus()
  })
}
