// New statements appear at the top of the list. The stream is closed while the page is hidden or paused.
const box = document.querySelector('.live')
const list = document.querySelector('ol.statements')
const [status, button] = [box.querySelector('[role=status]'), box.querySelector('button')]
const mostShown = 200
let since = box.dataset.since
let source
let paused = false
let arrived = 0

function open() {
  if (source || paused || document.hidden) return
  const address = new URL(box.dataset.from, location.href)
  address.searchParams.set('after', since)
  source = new EventSource(address)
  source.addEventListener('open', () => show('Live: new statements appear here'))
  source.addEventListener('message', ({ data, lastEventId }) => {
    since = lastEventId
    const template = document.createElement('template')
    template.innerHTML = JSON.parse(data)
    const item = template.content.firstElementChild
    item.classList.add('new')
    list.prepend(item)
    list.hidden = false
    document.querySelector('.empty')?.remove()
    while (list.children.length > mostShown) list.lastElementChild.remove()
    arrived++
    show(`Live: ${arrived} new`)
  })
  source.addEventListener('error', ({ target }) => {
    if (target.readyState === EventSource.CLOSED) {
      close()
      show('Not live: too many pages are open, or you signed out. Reload the page to try again')
    } else show('Connection lost. Trying again')
    box.classList.remove('on')
  })
}

function close() {
  source?.close()
  source = undefined
  box.classList.remove('on')
}

function show(text) {
  status.textContent = text
  if (source) box.classList.add('on')
}

button.addEventListener('click', () => {
  paused = !paused
  button.textContent = paused ? 'Resume' : 'Pause'
  if (paused) {
    close()
    show('Paused')
  } else open()
})
document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()))
addEventListener('pagehide', close)
box.hidden = false
open()
