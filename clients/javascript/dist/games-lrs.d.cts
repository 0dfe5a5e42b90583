declare const profile = "https://w3id.org/xapi/seriousgames";
/** What players do: verbs of ADL and of the serious-games profile (https://github.com/e-ucm/xapi-seriousgames). */
declare const verbs: {
    readonly initialized: "http://adlnet.gov/expapi/verbs/initialized";
    readonly progressed: "http://adlnet.gov/expapi/verbs/progressed";
    readonly completed: "http://adlnet.gov/expapi/verbs/completed";
    readonly passed: "http://adlnet.gov/expapi/verbs/passed";
    readonly failed: "http://adlnet.gov/expapi/verbs/failed";
    readonly scored: "http://adlnet.gov/expapi/verbs/scored";
    readonly terminated: "http://adlnet.gov/expapi/verbs/terminated";
    readonly answered: "http://adlnet.gov/expapi/verbs/answered";
    readonly interacted: "http://adlnet.gov/expapi/verbs/interacted";
    readonly accessed: "https://w3id.org/xapi/seriousgames/verbs/accessed";
    readonly skipped: 'http://id.tincanapi.com/verb/skipped';
    readonly selected: 'https://w3id.org/xapi/adb/verbs/selected';
    readonly unlocked: "https://w3id.org/xapi/seriousgames/verbs/unlocked";
    readonly used: "https://w3id.org/xapi/seriousgames/verbs/used";
    readonly pressed: "https://w3id.org/xapi/seriousgames/verbs/pressed";
    readonly released: "https://w3id.org/xapi/seriousgames/verbs/released";
};
type Verb = keyof typeof verbs;
/** From 0 to 1, in the extensions of a result. */
declare const progressExtension = "https://w3id.org/xapi/seriousgames/extensions/progress";
declare const isIri: (text: string) => boolean;
/** `level`, `quest`, `item` and so on are types of the profile; an IRI stays. */
declare const typeOf: (type: string) => string;
/** An IRI stays; a name stands below the game's own IRI. */
declare const idBelow: (game: string, id: string) => string;
/** What a learning management system gives to a unit of cmi5, beside its launch. */
interface Cmi5 {
    /** Part of the context of every statement. */
    readonly contextTemplate: Context;
    /** `Browse`, `Review`: the learner looks around, and nothing is judged. */
    readonly launchMode: 'Normal' | 'Browse' | 'Review';
    /** Of the author of the course. */
    readonly launchParameters?: string;
    readonly learnerPreferences?: {
        /** Language tags with commas, the preferred one first. */
        readonly languagePreference?: string;
        /** `off`: the game begins without sound. */
        readonly audioPreference?: 'on' | 'off';
    };
}
/** Of a statement. */
interface Context {
    readonly contextActivities?: Record<string, unknown>;
    readonly extensions?: object;
    readonly [name: string]: unknown;
}
/** The context with the template: values of the template stay, lists of activities begin with its own. */
declare function inTemplate(template: Context, given: Context): Context;
/**
 * What cmi5 defines for the whole game is said by the page around it, once and in order: the page hears of it here.
 * False: it is another statement.
 */
declare function saidByPage(verbId: string, result: unknown): boolean;
export {};
/** What the player hands to a game: everything that it needs to report. */
interface Launch {
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
    /** A learning management system has launched the game as a unit of cmi5. */
    readonly cmi5?: Cmi5;
}
/**
 * The launch context of this page: from its query string (as in TinCan and ADL launch), else from launch.json with the
 * session that its fragment names, else by message from the page around. In Node, and in a page of Electron or NW.js that
 * has Node: from the file that XAPI_LAUNCH_FILE names or else launch.json in the folder where it starts, else from
 * XAPI_ENDPOINT and so on. Undefined: there is none.
 * @param patience milliseconds to wait for the message
 */
declare function readLaunch(patience?: number): Promise<Launch | undefined>;
/** One statement that waits to be sent. */
interface Waiting {
    readonly key: number;
    readonly id: string;
    /** JSON, as it goes over the line: a retry is the identical batch. */
    readonly json: string;
}
/** Statements of one owner, in the order in which they came. */
interface Queue {
    /** Returns its key. */
    add(id: string, json: string): Promise<number>;
    /** The first ones, in order. */
    first(count: number): Promise<Waiting[]>;
    remove(keys: readonly number[]): Promise<void>;
    clear(): Promise<void>;
    count(): Promise<number>;
    /** Runs `work` unless another tab runs it for the same owner; false then. */
    alone(work: () => Promise<void>): Promise<boolean>;
}
/**
 * A queue in IndexedDB, which outlives the page and is shared by its tabs; in localStorage where IndexedDB does not
 * answer; in memory where there is neither (in Node, and in a frame without an origin of its own). The owner keeps apart
 * what other learners left on the same machine.
 */
declare function openQueue(owner: string): Promise<Queue>;
/** In memory; its keys are below zero. */
declare function inMemory(): Queue;
/** A request that the service refused for good. */
declare class LrsError extends Error {
    name: string;
    /** As in HTTP. */
    readonly status: number;
    /** The statement that was refused, where it was one. */
    readonly statement?: unknown;
    constructor(status: number, message: string, statement?: unknown);
}
interface SenderOptions {
    /** Sends one request, with endpoint and headers filled in. */
    readonly request: (method: string, path: string, init: RequestInit) => Promise<Response>;
    readonly queue: Queue;
    /** Asks for a new credential where the first came from; false: there is none. */
    readonly renew: () => Promise<boolean>;
    readonly onError: (error: LrsError) => void;
    /** Milliseconds that a statement waits for others; default 5,000. */
    readonly flushAfter: number;
    /** Statements that do not wait; default 20. */
    readonly flushAt: number;
}
/** Sends what waits, in order, until it is all there; what cannot be sent now is tried again later and later. */
declare function sender({ request, queue, renew, onError, flushAfter, flushAt }: SenderOptions): {
    /** Resolves when what waits was sent, or when it was tried. */
    flush(): Promise<void>;
    add(id: string, json: string): Promise<void>;
    /** Drops what waits. */
    clear(): Promise<void>;
    /**
     * Of a page that goes away: what a browser still lets through, at once, so nothing is read before. It stays in the
     * queue until it is known to be there.
     */
    last(): void;
    close: () => void;
};
/** A document and its ETag, for a change that must not overwrite another one. */
interface Document<T = unknown> {
    readonly value: T;
    readonly etag: string;
}
interface Documents {
    /** Undefined: there is none. JSON comes as a value, other types as a Blob. */
    get<T = unknown>(id: string): Promise<Document<T> | undefined>;
    /**
     * Replaces; with an ETag only the document that has it, with `null` only when there is none yet (else LrsError 412).
     * Resolves with the new ETag, for the next `put`; undefined: the service did not tell it.
     */
    put(id: string, value: unknown, etag?: string | null): Promise<string | undefined>;
    /** Changes the top-level properties of a JSON document and keeps the others; makes it when there is none. */
    merge(id: string, properties: object): Promise<void>;
    remove(id: string): Promise<void>;
    /** Ids of all documents, or of those that changed since. */
    list(since?: Date): Promise<string[]>;
}
type Request = (method: string, path: string, init?: RequestInit) => Promise<Response>;
/** The documents of one resource; `parameters` say whose and of what. */
declare function documents(request: Request, resource: string, idName: string, parameters: Record<string, string>): Documents;
export {};
export { LrsError, readLaunch, type Cmi5, type Documents, type Launch, type Verb };
export type { Document };
export interface ClientOptions {
    /** Default: the launch context of the page; in Node, of the environment. */
    readonly launch?: Launch;
    /** Whether the player agreed to statements; default true. False: drops what waits, and queues nothing until setConsent(true). */
    readonly consent?: boolean;
    /** Called for what the service refused for good; default: writes to the console. */
    readonly onError?: (error: LrsError) => void;
    /** Called in a lesson with true when the teacher pauses all games, and with false when they go on. */
    readonly onPause?: (paused: boolean) => void;
    /** Milliseconds that a statement waits for others; default 5,000. */
    readonly flushAfter?: number;
    /** Statements that do not wait; default 20. */
    readonly flushAt?: number;
    /**
     * Whether onError also gets mistakes in statements, with status 0, field and remedy, before the service refuses them.
     * Default: in a page of this machine (localhost, a file), and in Node with NODE_ENV=development.
     */
    readonly debug?: boolean;
    /** Of the game, such as `1.4.2`: every statement has it as `context.revision`. */
    readonly version?: string;
    /** What the game is made with, such as `Phaser 3.90`. */
    readonly engine?: string;
}
/** A statement of xAPI; id, timestamp, actor and registration are filled in where they are missing. */
export interface Statement {
    readonly id?: string;
    readonly actor?: object;
    readonly verb: {
        readonly id: string;
        readonly display?: Record<string, string>;
    };
    /** The id of an activity may stand below the game's own, such as `level-1`. */
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
