// New statements appear at the top, in the group of their session. The stream is closed while the page is hidden or
// paused.
const box = document.querySelector('.live')
const sessions = document.querySelector('.sessions')
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
    add(template.content.firstElementChild)
    document.querySelector('.empty')?.remove()
    while (sessions.querySelectorAll('li').length > mostShown) {
      const { lastElementChild: oldest } = sessions
      oldest.querySelector('ol').lastElementChild.remove()
      if (!oldest.querySelector('li')) oldest.remove()
    }
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

/** Each statement that arrives comes as a group, which joins the group of the same session. */
function add(arriving) {
  const item = arriving.querySelector('li')
  item.classList.add('new')
  const { session } = arriving.dataset
  const there = [...sessions.children].find((group) => group.dataset.session === session)
  if (there) {
    there.querySelector('ol').prepend(item)
    lengthen(there, arriving)
  }
  sessions.prepend(there ?? arriving)
}

function lengthen(group, arriving) {
  const length = group.querySelector('.length')
  if (!length) return
  const { last } = arriving.querySelector('.length').dataset
  const seconds = Math.round((last - Date.parse(group.querySelector('time').dateTime)) / 1000)
  if (!(seconds >= 1) || Number(last) < length.dataset.last) return
  length.dataset.last = last
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  length.textContent = `, ${hours ? `${hours} h ` : ''}${minutes ? `${minutes} min ` : ''}${seconds % 60} s`
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
