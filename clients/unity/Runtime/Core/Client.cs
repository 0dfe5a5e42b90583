using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

[assembly: InternalsVisibleTo("GamesLrs.Unity")]

namespace GamesLrs
{
    /// <summary>
    /// Reports what a player does. It throws nothing but what the game's own handlers throw, and never waits for the network: a statement is on disk when
    /// its id comes back, and goes out with a later Tick. Answers and errors come during a Tick, too.
    /// </summary>
    public sealed partial class Client
    {
        readonly object gate = new object();
        readonly Stopwatch clock = Stopwatch.StartNew();
        readonly Queue<Action> calls = new Queue<Action>();
        readonly HashSet<string> told = new HashSet<string>();
        readonly ClientOptions options;
        readonly Requests requests;
        readonly Queue queue;
        readonly Sender sender;
        double now;
        bool closed;

        /// <summary>Without options, as the game was launched. Always gives a client: without a launch it does nothing.</summary>
        public static Client Connect(ClientOptions options = null)
        {
            options = options ?? new ClientOptions();
            Client client;
            try
            {
                Platform.Complete(options);
                client = new Client(options, new LaunchSource(options));
            }
            catch (Exception error)
            {
                client = new Client(options, null);
                client.Tell(0, error.Message, null);
            }
            if (Platform.Started != null) Platform.Started(client);
            return client;
        }

        Client(ClientOptions options, LaunchSource source)
        {
            this.options = options;
            if (source == null || source.Found == null) return;
            Action<string> onTrouble = message => Tell(0, message, null);
            requests = new Requests(options.Http, source, onTrouble);
            queue = new Queue(options.Folder, source.Found.Owner, onTrouble);
            sender = new Sender(queue, requests, options, Tell);
            if (!options.Consent) sender.Drop();
            if (queue.Count > 0) sender.Flush(null); // what an earlier session left
        }

        /// <summary>False: there is no launch context. Then verbs do nothing, and there are no documents.</summary>
        public bool Launched { get { return sender != null; } }

        /// <summary>Null: there is none.</summary>
        public Launch Launch { get { return requests == null ? null : requests.Launch; } }

        /// <summary>A statement of xAPI as a dictionary; id, timestamp, actor and registration are filled in where they are missing.
        /// Gives its id when it is kept on this machine; null: it was not queued.</summary>
        public string Send(IDictionary<string, object> statement)
        {
            return Add(() => statement);
        }

        /// <summary>The same as JSON text.</summary>
        public string Send(string json)
        {
            return Add(() => (IDictionary<string, object>)Json.Read(json));
        }

        /// <summary>How many statements wait to be sent.</summary>
        public int Pending() { lock (gate) return queue == null ? 0 : queue.Count; }

        /// <summary>Sends what waits now. Is done when it was sent, or tried.</summary>
        public Task Flush()
        {
            var done = new TaskCompletionSource<bool>();
            lock (gate)
            {
                if (sender == null || closed) return Task.FromResult(true);
                sender.Flush(() => calls.Enqueue(() => done.TrySetResult(true)));
                sender.Step(now);
            }
            return done.Task;
        }

        /// <summary>False: drops what waits, and queues nothing until true. Documents still work.</summary>
        public void SetConsent(bool granted)
        {
            lock (gate)
            {
                if (sender == null || closed) return;
                sender.Consent = granted;
                if (granted) sender.Flush(null);
                else sender.Drop();
            }
        }

        /// <summary>When the game loses the focus or is put aside: sends at once what waits.</summary>
        public void Pause() { Flush(); }

        /// <summary>The page around the game covers it, or shows it again.</summary>
        internal void LessonPaused(bool paused)
        {
            if (options.OnPause != null && !closed) options.OnPause(paused);
        }

        /// <summary>For a page that goes away: a request with the first of what waits, to send without an answer; or null.</summary>
        internal HttpRequest Last() { lock (gate) return sender == null || closed ? null : sender.Last(); }

        /// <summary>Another number when the queue has changed.</summary>
        internal int Version { get { lock (gate) return queue == null ? 0 : queue.Version; } }

        /// <summary>When the game ends: sends what waits, for this many seconds at most. What is left stays for the next session.</summary>
        public void Quit(double seconds = 3)
        {
            var flushed = Flush();
            var begin = now;
            var watch = Stopwatch.StartNew();
            try
            {
                while (!flushed.IsCompleted && watch.Elapsed.TotalSeconds < seconds)
                {
                    Tick(begin + watch.Elapsed.TotalSeconds);
                    Thread.Sleep(5);
                }
            }
            finally { End(); }
        }

        /// <summary>Sends what waits and stops.</summary>
        public async Task Close()
        {
            await Flush();
            End();
        }

        void End()
        {
            lock (gate)
            {
                closed = true;
                if (sender == null) return;
                sender.Stop();
                queue.Close();
            }
        }

        /// <summary>Does what is due: call it with every frame.</summary>
        public void Tick() { Tick(clock.Elapsed.TotalSeconds); }

        /// <param name="seconds">of any clock that does not go back</param>
        public void Tick(double seconds)
        {
            lock (gate)
            {
                now = Math.Max(now, seconds);
                if (sender != null) Step();
            }
            while (true)
            {
                Action call;
                lock (gate)
                {
                    if (calls.Count == 0) return;
                    call = calls.Dequeue();
                }
                call(); // what the game's own handler throws is the game's; what is left comes with the next Tick
            }
        }

        void Step()
        {
            try
            {
                var polled = options.Http as IPolled;
                if (polled != null) polled.Poll();
                requests.Step(now);
                sender.Step(now);
            }
            catch (Exception error) { Tell(0, error.Message, null); }
        }

        string Add(Func<IDictionary<string, object>> given)
        {
            lock (gate)
            {
                if (sender == null || closed || !sender.Consent) return null;
                try
                {
                    var raw = given();
                    if (options.Debug == true) Check(raw);
                    var statement = Statements.Complete(requests.Launch, raw, options, requests.ClockOffset);
                    if (!queue.Add(Json.Write(statement))) return null;
                    sender.Added();
                    return statement["id"] as string;
                }
                catch (Exception error)
                {
                    Tell(0, "a statement could not be written: " + error.Message, null);
                    return null;
                }
            }
        }

        /// <summary>Tells each mistake once.</summary>
        void Check(IDictionary<string, object> statement)
        {
            foreach (var mistake in Mistakes.Of(statement)) if (told.Add(mistake)) Tell(0, mistake, Json.Write(statement));
        }

        void Tell(int status, string message, string statement)
        {
            lock (gate) calls.Enqueue(() => options.OnError(status, message, statement));
        }
    }
}
