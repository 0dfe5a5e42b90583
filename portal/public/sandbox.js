// What the game does, as it happens: the server sends each request as a piece of the page.
const panel = document.querySelector('[data-events]')
const list = panel.querySelector('.events')
const most = 200

const localTime = (root) => {
  for (const time of root.querySelectorAll('time')) time.textContent = new Date(time.dateTime).toLocaleTimeString([], { hour12: false })
}
const add = (name, more) => {
  const count = panel.querySelector(`[data-count="${name}"]`)
  count.textContent = Number(count.textContent) + more
}

localTime(list)
const last = list.firstElementChild?.dataset.number ?? 0
const source = new EventSource(`${panel.dataset.events}?after=${last}`)
source.addEventListener('open', () => {
  panel.querySelector('.live').hidden = false
  panel.querySelector('.refresh').hidden = true
})
source.addEventListener('error', () => {
  panel.querySelector('.live').hidden = true
  panel.querySelector('.refresh').hidden = false
})
source.addEventListener('message', ({ data }) => {
  const { html, rejected, statements, news } = JSON.parse(data)
  panel.querySelector('.waiting').hidden = true
  list.insertAdjacentHTML('afterbegin', html)
  localTime(list.firstElementChild)
  while (list.children.length > most) list.lastElementChild.remove()
  add('requests', 1)
  add('statements', statements)
  add('rejected', rejected ? 1 : 0)
  if (rejected) panel.querySelector('[data-news]').textContent = news
})
