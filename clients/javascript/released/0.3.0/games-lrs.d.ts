import { type Documents } from './documents.ts';
import { readLaunch, type Launch } from './launch.ts';
import { LrsError } from './sender.ts';
import { type Verb } from './verbs.ts';
export { LrsError, readLaunch, type Documents, type Launch, type Verb };
export type { Document } from './documents.ts';
export interface ClientOptions {
    /** Default: the launch context of the page; in Node, of the environment. */
    readonly launch?: Launch;
    /** Whether the player agreed to statements; default true. False: drops what waits, and queues nothing until setConsent(true). */
    readonly consent?: boolean;
    /** Called for what the service refused for good; default: writes to the console. */
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
    /** How much is done, from 0 to 1; an extension of the serious-games profile. */
    readonly progress?: number;
    /** ISO 8601, such as `PT90S`. */
    readonly duration?: string;
    readonly response?: string;
    readonly extensions?: Record<string, unknown>;
}
/**
 * An activity, such as a level: an IRI, below the game's own or a whole one, with a name for people. A type is an IRI, or
 * a name of the serious-games profile such as `level`, `quest` or `item`.
 */
export type Activity = string | {
    readonly id: string;
    readonly name?: string;
    readonly type?: string;
};
/** With `progressed` a number is the progress, else the scaled score. Undefined: nothing was queued. */
type Say = (activity?: Activity, result?: Result | number) => Promise<string | undefined>;
export type Client = Record<Verb, Say> & {
    /** False: there is no launch context. The game plays on, nothing is reported, and there are no documents. */
    readonly launched: boolean;
    readonly launch: Launch | undefined;
    /** Queues a statement; resolves with its id when it is kept on this machine. Undefined: nothing was queued. */
    send(statement: Statement): Promise<string | undefined>;
    /** Sends what waits now. */
    flush(): Promise<void>;
    /** How many statements wait on this machine. */
    pending(): Promise<number>;
    /** False: drops what waits, and queues nothing until true. Documents still work. */
    setConsent(granted: boolean): Promise<void>;
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
 * Connects a game to its record store. Without a launch context it also returns a client, which does nothing.
 * On a server: `connect({ launch: { endpoint, auth: basic(key, secret), actor } })`.
 */
export declare function connect(options?: ClientOptions): Promise<Client>;
/** The Authorization of a server: never in a game that players can read. */
export declare const basic: (key: string, secret: string) => string;
