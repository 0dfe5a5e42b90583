/** What is wrong with our clients before a version. Those of today's list are so old that statements do not tell them. */
export const clientFaults: Readonly<Record<string, { name: string; before: string; faults: string }>> = {
  'games-lrs.js': {
    name: 'JavaScript',
    before: '0.4.0',
    faults:
      'Does not start where IndexedDB does not answer (WebKit). Reports nothing on http: (but localhost), nor without ' +
      'AbortSignal.timeout. Two tabs each send every statement. An exception of onError stops it.',
  },
  'games-lrs.gd': {
    name: 'Godot',
    before: '0.2.0',
    faults: 'Takes 0.6 to 0.9 ms for each statement on Linux, since it opens and closes a file.',
  },
  'games-lrs.cs': {
    name: 'Unity and C#',
    before: '0.2.0',
    faults: 'Exceptions of the handlers of the game are lost. Send does not spell out ids and scores.',
  },
}
