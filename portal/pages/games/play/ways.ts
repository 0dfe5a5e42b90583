/** Addresses of the pages of a session. */
export interface Ways {
  /** The page before the game. */
  readonly start: string
  readonly game: string
  readonly end: string
  /** In a lesson: what was reached in it, with the way back; elsewhere `end` shows it. */
  readonly lesson?: string
  /** What the game has reported; empty: from here one cannot ask. */
  readonly result: string
  readonly launchFile: string
  readonly forget: string
  /** Installed copies may be opened from here. */
  readonly opens?: boolean
  /** The learner's own data; undefined: no link. */
  readonly data?: string | undefined
  /** The page is in a frame of another site, without cookies: each form has the session's secret. */
  readonly embedded: boolean
}

export function playWays(slug: string): Ways {
  const at = `/play/${slug}`
  return {
    start: at,
    game: `${at}/game`,
    end: `${at}/end`,
    result: `${at}/result`,
    launchFile: `${at}/launch.json`,
    forget: `${at}/forget`,
    data: `${at}/data?as=session`,
    opens: true,
    embedded: false,
  }
}

/** Of a lesson: the end is that of the seat, so that the next child sees no result. */
export const lessonWays = (slug: string): Ways => ({
  ...playWays(slug),
  start: '/join/wait',
  end: '/join/leave',
  lesson: '/join/result',
  data: undefined,
  opens: false,
})

/** Of a launch from a learning platform, in a frame of its pages. */
export function platformWays(launchId: string): Ways {
  const at = `/lti-play/${launchId}`
  return { ...embedWays(''), start: at, game: `${at}/game`, end: `${at}/end`, result: `${at}/result` }
}

/** @param invitation stays in the address, so that a tab never continues the session of another learner */
export function embedWays(slug: string, invitation = ''): Ways {
  const at = `/embed/${slug}`
  const query = invitation === '' ? '' : `?invitation=${encodeURIComponent(invitation)}`
  return {
    start: `${at}${query}`,
    game: `${at}/game${query}`,
    end: `${at}/end${query}`,
    result: `${at}/result${query}`,
    launchFile: '',
    forget: '',
    embedded: true,
  }
}
