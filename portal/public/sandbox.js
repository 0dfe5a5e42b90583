// Each request of the game appears as it happens: the server sends it as a piece of the page. Nothing is sent while the
// page is hidden; what happened meanwhile comes when it is shown again.
const panel = document.querySelector('[data-events]')
const list = panel.querySelector('.events')
const mostShown = 200
const address = new URL(panel.dataset.events, location.href)
let source

const whenOf = (item) => item.querySelector('time').dateTime

function showLive(isLive) {
  panel.querySelector('.live').hidden = !isLive
  panel.querySelector('.refresh').hidden = isLive
}

function open() {
  if (source || document.hidden) return
  source = new EventSource(address)
  source.addEventListener('open', () => showLive(true))
  source.addEventListener('error', ({ target }) => {
    showLive(false)
    if (target.readyState === EventSource.CLOSED) close()
  })
  source.addEventListener('message', show)
}

function close() {
  source?.close()
  source = undefined
}

function show({ data, lastEventId }) {
  address.searchParams.set('after', lastEventId)
  const { html, counts, news } = JSON.parse(data)
  panel.querySelector('.waiting').hidden = true
  const template = document.createElement('template')
  template.innerHTML = html
  const item = template.content.firstElementChild
  // two cores number their events as they write them, so a later number can be an earlier event
  const earlier = [...list.children].find((other) => whenOf(other) <= whenOf(item))
  list.insertBefore(item, earlier ?? null)
  while (list.children.length > mostShown) list.lastElementChild.remove()
  panel.querySelector('.counts').innerHTML = counts
  if (news) panel.querySelector('[data-news]').textContent = news
}

document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()))
addEventListener('pagehide', close)
open()
