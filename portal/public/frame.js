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

  // The frame is of another origin: until it has loaded nobody knows how far it is, unless the game tells.
  const bar = document.querySelector('.loading')
  let isLoaded = document.readyState === 'complete'
  let told
  const show = () => {
    bar.hidden = told === undefined ? isLoaded : told >= 1
    if (told === undefined) return
    bar.setAttribute('aria-valuenow', Math.round(told * 100))
    bar.style.setProperty('--done', told)
  }
  const hasLoaded = () => {
    isLoaded = true
    show()
  }
  frame.addEventListener('load', hasLoaded)
  // it may have loaded before this script
  addEventListener('load', hasLoaded)
  addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow || data?.type !== 'xapi-loading' || !Number.isFinite(data.progress)) return
    told = Math.min(1, Math.max(0, data.progress))
    show()
  })
  show()
}

for (const left of document.querySelectorAll('[data-expires]')) {
  const count = () => {
    const minutes = Math.floor((Number(left.dataset.expires) * 1000 - Date.now()) / 60_000)
    const { some, last, over } = left.dataset
    left.textContent = minutes > 0 ? some.replace('#', minutes) : minutes === 0 ? last : over
    document.body.classList.toggle('over', minutes < 0)
    if (minutes >= 0) setTimeout(count, 10_000)
  }
  count()
}
