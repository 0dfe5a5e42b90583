import { type Documents } from './documents.ts';
import { readLaunch, type Launch } from './launch.ts';
import { LrsError } from './sender.ts';
export { LrsError, readLaunch, type Documents, type Launch };
export type { Document } from './documents.ts';
export interface ClientOptions {
    /** Without: as the player hands it to the page. */
    readonly launch?: Launch;
    /** Told of what the service refused for good; without: the console. */
    readonly onError?: (error: LrsError) => void;
    /** Milliseconds that a statement waits for others; default 5,000. */
    readonly flushAfter?: number;
    /** Statements that do not wait; default 20. */
    readonly flushAt?: number;
}
/** A statement of xAPI; id, timestamp, actor and registration are filled in where they are missing. */
export interface Statement {
    readonly id?: string;
    readonly actor?: object;
    readonly verb: {
        readonly id: string;
        readonly display?: Record<string, string>;
    };
    readonly object: object;
    readonly result?: Result;
    readonly context?: Record<string, unknown>;
    readonly timestamp?: string;
}
export interface Result {
    /** A number is the scaled score, -1 to 1. */
    readonly score?: number | {
        scaled?: number;
        raw?: number;
        min?: number;
        max?: number;
    };
    readonly success?: boolean;
    readonly completion?: boolean;
    /** ISO 8601, such as `PT90S`. */
    readonly duration?: string;
    readonly response?: string;
    readonly extensions?: Record<string, unknown>;
}
/** An activity, such as a level: an IRI, below the game's own or a whole one, with a name for people. */
export type Activity = string | {
    readonly id: string;
    readonly name?: string;
    readonly type?: string;
};
declare const verbs: {
    readonly initialized: 'http://adlnet.gov/expapi/verbs/initialized';
    readonly progressed: 'http://adlnet.gov/expapi/verbs/progressed';
    readonly completed: 'http://adlnet.gov/expapi/verbs/completed';
    readonly passed: 'http://adlnet.gov/expapi/verbs/passed';
    readonly failed: 'http://adlnet.gov/expapi/verbs/failed';
    readonly scored: 'http://adlnet.gov/expapi/verbs/scored';
    readonly terminated: 'http://adlnet.gov/expapi/verbs/terminated';
};
type Verb = keyof typeof verbs;
export type Client = Record<Verb, (activity?: Activity, result?: Result) => Promise<string>> & {
    readonly launch: Launch;
    /** Queues a statement; resolves with its id when it is kept on this machine, not when it was sent. */
    send(statement: Statement): Promise<string>;
    /** Sends what waits now. */
    flush(): Promise<void>;
    /** State of the learner in this game, or in one activity of it. */
    state(activity?: Activity): Documents;
    /** Shared by all learners of an activity. */
    activityProfile(activity?: Activity): Documents;
    /** Of the learner, across games. */
    agentProfile(): Documents;
    /** Sends what waits and stops. */
    close(): Promise<void>;
};
/**
 * Connects a game to its record store. Undefined: the page was not launched, nothing can be reported.
 * On a server: `connect({ launch: { endpoint, auth: basic(key, secret), actor } })`.
 */
export declare function connect(options?: ClientOptions): Promise<Client | undefined>;
/** The Authorization of a server: never in a game that players can read. */
export declare const basic: (key: string, secret: string) => string;
