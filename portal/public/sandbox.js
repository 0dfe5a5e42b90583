// What the game does, as it happens: the server sends each request as a piece of the page.
const panel = document.querySelector('[data-events]')
const list = panel.querySelector('.events')
const most = 200

const localTime = (root) => {
  for (const time of root.querySelectorAll('time'))
    time.textContent = new Date(time.dateTime).toLocaleTimeString([], { hour12: false })
}
const whenOf = (item) => item.querySelector('time').dateTime
const add = (name, more) => {
  const count = panel.querySelector(`[data-count="${name}"]`)
  count.textContent = Number(count.textContent) + more
}

localTime(list)
const source = new EventSource(panel.dataset.events)
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
  const template = document.createElement('template')
  template.innerHTML = html
  const item = template.content.firstElementChild
  localTime(item)
  // of two cores the one that is told first may be the later one
  const earlier = [...list.children].find((other) => whenOf(other) <= whenOf(item))
  list.insertBefore(item, earlier ?? null)
  while (list.children.length > most) list.lastElementChild.remove()
  add('requests', 1)
  add('statements', statements)
  add('rejected', rejected ? 1 : 0)
  if (rejected) panel.querySelector('[data-news]').textContent = news
})
