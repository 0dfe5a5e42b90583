// Sends the game in the frame its launch context as a message: when the frame has loaded, and when the game asks.
const frame = document.querySelector('iframe[data-launch]')

if (frame) {
  const launch = JSON.parse(frame.dataset.launch)
  // an opaque origin cannot be named as the target; frame-src keeps the frame on the origin of games
  const tell = () => frame.contentWindow.postMessage(launch, '*')
  addEventListener('message', ({ source, data }) => {
    if (source === frame.contentWindow && data?.type === 'xapi-launch-request') tell()
  })
  frame.addEventListener('load', tell)
}

for (const left of document.querySelectorAll('[data-expires]')) {
  const count = () => {
    const minutes = Math.floor((Number(left.dataset.expires) * 1000 - Date.now()) / 60_000)
    left.textContent =
      minutes > 0 ? `${minutes} min left` : minutes === 0 ? 'less than a minute left' : 'the session has ended'
    document.body.classList.toggle('over', minutes < 0)
    if (minutes >= 0) setTimeout(count, 10_000)
  }
  count()
}
