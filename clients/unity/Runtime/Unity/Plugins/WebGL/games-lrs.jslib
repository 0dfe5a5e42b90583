// The page around a Unity game: launch context (docs/launch.md), moments when it is hidden, files that last.
mergeInto(LibraryManager.library, {
  $GamesLrsPage: {
    /** The last launch context that came by message. */
    message: null,
    listening: false,
    saving: false,
    again: false,

    listen: function () {
      if (GamesLrsPage.listening) return
      GamesLrsPage.listening = true
      var tell = function () {
        // Module.SendMessage: the name in newer versions of Unity
        var send = typeof SendMessage === 'function' ? SendMessage : Module.SendMessage
        if (send) send.apply(null, arguments)
      }
      window.addEventListener('message', function (event) {
        var data = event.data
        if (event.source !== window.parent || window.parent === window || !data) return
        if (data.type === 'xapi-launch' && data.endpoint && data.auth) GamesLrsPage.message = data
        if (data.type === 'xapi-pause' || data.type === 'xapi-resume')
          tell('GamesLrs', 'OnPagePaused', data.type === 'xapi-pause' ? 1 : 0)
      })
      if (window.parent !== window) window.parent.postMessage({ type: 'xapi-launch-request' }, '*')
      var hidden = function () {
        tell('GamesLrs', 'OnPageHidden')
      }
      window.addEventListener('pagehide', hidden)
      document.addEventListener('visibilitychange', function () {
        if (document.visibilityState === 'hidden') hidden()
      })
    },

    /** Of the query, as TinCan and ADL launches have it. */
    query: function () {
      var found = {}
      new URLSearchParams(location.search).forEach(function (value, name) {
        found[name] = value
      })
      return found.endpoint && found.auth ? found : null
    },

    /** Of launch.json, with the session that the fragment names. Synchronous: the game starts with it. */
    fetched: function () {
      var session = new URLSearchParams(location.hash.split('?')[1] || '').get('session')
      if (session === null) return null
      try {
        var request = new XMLHttpRequest()
        request.open('GET', 'launch.json', false)
        request.setRequestHeader('Authorization', 'Bearer ' + session)
        request.send()
        return request.status === 200 ? JSON.parse(request.responseText) : null
      } catch (error) {
        return null
      }
    },

    text: function (value) {
      var size = lengthBytesUTF8(value) + 1
      var buffer = _malloc(size)
      stringToUTF8(value, buffer, size)
      return buffer
    },
  },

  GamesLrsListen__deps: ['$GamesLrsPage'],
  GamesLrsListen: function () {
    GamesLrsPage.listen()
  },

  GamesLrsLaunch__deps: ['$GamesLrsPage'],
  GamesLrsLaunch: function (again) {
    var page = GamesLrsPage
    // the query keeps the token of the start
    var found = again ? page.fetched() || page.message : page.query() || page.fetched() || page.message
    return page.text(found ? JSON.stringify(found) : '')
  },

  GamesLrsSave__deps: ['$GamesLrsPage'],
  GamesLrsSave: function () {
    if (typeof FS === 'undefined' || !FS.syncfs) return
    var page = GamesLrsPage
    if (page.saving) {
      page.again = true
      return
    }
    var save = function () {
      page.saving = true
      page.again = false
      // a frame without an origin of its own has no IndexedDB: then files last as long as the page
      FS.syncfs(false, function () {
        page.saving = false
        if (page.again) save()
      })
    }
    save()
  },

  GamesLrsSendLast: function (url, headers, body) {
    var sent = fetch(UTF8ToString(url), {
      method: 'POST',
      headers: JSON.parse(UTF8ToString(headers)),
      body: UTF8ToString(body),
      keepalive: true,
    })
    // it waits in the queue until it is known to be there
    sent.catch(function () {})
  },
})
