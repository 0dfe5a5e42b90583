// Hands the game in the frame its launch context by message: when it is there, and whenever it asks.
const frame = document.querySelector('iframe[data-launch]')

if (frame) {
  const launch = JSON.parse(frame.dataset.launch)
  // the frame's origin may be opaque, which no address names; frame-src keeps it on the origin of games
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
