/** What the player hands to a game: everything that it needs to report. */
export interface Launch {
    /** Of xAPI, with or without a slash at its end. */
    readonly endpoint: string;
    /** The complete value of the Authorization header. */
    readonly auth: string;
    /** The learner; the service puts in the token's, whatever is sent. */
    readonly actor?: object;
    /** UUID of this session. */
    readonly registration?: string;
    /** IRI of the game. */
    readonly activityId?: string;
}
/**
 * The launch context of this page: from its query string (as in TinCan and ADL launch), else from launch.json with the
 * session that its fragment names, else by message from the page around. In Node: from the file that
 * XAPI_LAUNCH_FILE names or else launch.json in the folder where it starts, else from XAPI_ENDPOINT and so on. Undefined: there is none.
 * @param patience milliseconds to wait for the message
 */
export declare function readLaunch(patience?: number): Promise<Launch | undefined>;
