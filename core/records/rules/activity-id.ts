/** IRI of a game as an activity. @param home IRI of the service, as in `authority` */
export const activityId = (home: string, gameId: string): string => `${home}/games/${gameId}`
