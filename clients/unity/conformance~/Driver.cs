using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using GamesLrs;

/// <summary>Speaks the line protocol of the conformance suite: a command in JSON on a line, an answer on a line.</summary>
static class Driver
{
    static readonly BlockingCollection<string> lines = new BlockingCollection<string>();
    static StreamWriter answers;
    static Client client;

    static int Main()
    {
        var socket = new TcpClient("127.0.0.1", int.Parse(Environment.GetEnvironmentVariable("DRIVER_PORT"))) { NoDelay = true };
        var stream = socket.GetStream();
        answers = new StreamWriter(stream, new UTF8Encoding(false)) { NewLine = "\n", AutoFlush = true };
        new Thread(() => Listen(new StreamReader(stream, Encoding.UTF8))) { IsBackground = true }.Start();
        while (true)
        {
            string line;
            if (lines.TryTake(out line, 5))
            {
                var command = (Dictionary<string, object>)Json.Read(line);
                Answer(command);
                if ((string)command["do"] == "quit") return 0;
            }
            if (client != null) Frame();
        }
    }

    /// <summary>What a handler of the game throws comes out here, as in a game.</summary>
    static void Frame()
    {
        try { Engine.Frame(client); }
        catch (Exception error) { Event(0, (error.InnerException ?? error).Message, null); }
    }

    static void Listen(StreamReader reader)
    {
        try { for (string line; (line = reader.ReadLine()) != null;) lines.Add(line); }
        catch (IOException) { }
        // what is on its way out is not waited for: the suite is gone
        Thread.Sleep(100);
        Environment.Exit(1);
    }

    static void Answer(Dictionary<string, object> command)
    {
        var answer = new Dictionary<string, object> { { "n", command["n"] } };
        try { answer["ok"] = new Command(command).Do(); }
        catch (Exception error)
        {
            var refused = error as LrsException;
            answer["error"] = new Dictionary<string, object>
                { { "status", refused == null ? 0 : refused.Status }, { "message", refused == null ? error.ToString() : error.Message } };
        }
        answers.WriteLine(Json.Write(answer));
    }

    static void Event(int status, string message, string statement)
    {
        var refused = Json.ReadObject(statement);
        answers.WriteLine(Json.Write(new Dictionary<string, object>
        {
            { "event", "error" }, { "status", status }, { "message", message }, { "id", refused != null && refused.ContainsKey("id") ? refused["id"] : null },
        }));
    }

    sealed class Command
    {
        readonly Dictionary<string, object> given;
        public Command(Dictionary<string, object> given) { this.given = given; }

        object Of(string name)
        {
            object value;
            return given.TryGetValue(name, out value) ? value : null;
        }

        public object Do()
        {
            switch ((string)Of("do"))
            {
                case "connect": return Connect();
                case "send": return client.Send((Dictionary<string, object>)Of("statement"));
                case "say": return client.Say((string)Of("verb"), ActivityOf(Of("activity")), ResultOf(Of("result")));
                case "many": return Many((long)Of("count"), (long)Of("from"));
                case "flush": return Wait(client.Flush());
                case "pending": return client.Pending();
                case "pause": Engine.Pause(client); return true;
                case "consent": client.SetConsent((bool)Of("granted")); return true;
                case "put": return Put();
                case "get": return Get();
                case "merge": return Wait(Documents().Merge((string)Of("id"), Of("value")));
                case "remove": return Wait(Documents().Remove((string)Of("id")));
                case "list": return Result(Documents().List());
                case "quit": Engine.Quit(client); return true;
                default: throw new NotSupportedException("unknown command " + Of("do"));
            }
        }

        object Connect()
        {
            var launch = Of("launch") as Dictionary<string, object>;
            client = Client.Connect(new ClientOptions
            {
                Launch = launch == null ? null : new Launch
                {
                    Endpoint = (string)launch["endpoint"],
                    Auth = (string)launch["auth"],
                    Actor = launch["actor"],
                    Registration = launch.ContainsKey("registration") ? (string)launch["registration"] : null,
                    ActivityId = launch.ContainsKey("activityId") ? (string)launch["activityId"] : null,
                },
                Consent = Of("consent") as bool? ?? true,
                Folder = Environment.GetEnvironmentVariable("DRIVER_FOLDER"),
                Http = Engine.Http(),
                OnError = (status, message, statement) =>
                {
                    Event(status, message, statement);
                    if (Of("throws") != null) throw new InvalidOperationException((string)Of("throws"));
                },
                Version = (string)Of("version"),
                Engine = (string)Of("engine"),
                Debug = Of("debug") as bool? ?? false,
            });
            return new Dictionary<string, object> { { "launched", client.Launched } };
        }

        static object Many(long count, long from)
        {
            var ids = new List<object>();
            for (var i = from; i < from + count; i++)
            {
                ids.Add(client.Progressed("event/" + i));
                Frame(); // one for each, so that requests go out meanwhile
            }
            return ids;
        }

        Documents Documents()
        {
            switch ((string)Of("of"))
            {
                case "activityProfile": return client.ActivityProfile();
                case "agentProfile": return client.AgentProfile();
                default: return client.State();
            }
        }

        object Put()
        {
            var id = (string)Of("id");
            return Result(given.ContainsKey("etag")
                ? Documents().Put(id, Of("value"), (string)Of("etag"))
                : Documents().Put(id, Of("value")));
        }

        object Get()
        {
            var document = Result(Documents().Get((string)Of("id")));
            return document == null ? null : new Dictionary<string, object>
                { { "value", Json.Raw(document.Text) }, { "etag", document.ETag } };
        }

        /// <summary>The frames of a game go on meanwhile.</summary>
        static bool Wait(Task task)
        {
            while (!task.IsCompleted)
            {
                Frame();
                Thread.Sleep(2);
            }
            task.GetAwaiter().GetResult();
            return true;
        }

        static T Result<T>(Task<T> task)
        {
            Wait(task);
            return task.Result;
        }

        static Activity ActivityOf(object given)
        {
            var members = given as Dictionary<string, object>;
            if (members == null) return given as string;
            return new Activity { Id = Text(members, "id"), Name = Text(members, "name"), Type = Text(members, "type") };
        }

        static string Text(Dictionary<string, object> of, string name)
        {
            object value;
            return of.TryGetValue(name, out value) ? value as string : null;
        }

        static GamesLrs.Result ResultOf(object given)
        {
            if (given is long || given is double) return Convert.ToDouble(given);
            var members = given as Dictionary<string, object>;
            if (members == null) return null;
            var result = new GamesLrs.Result { Response = Text(members, "response"), Duration = Text(members, "duration") };
            foreach (var member in members)
            {
                var score = member.Value as Dictionary<string, object>;
                if (member.Key == "success") result.Success = (bool)member.Value;
                if (member.Key == "completion") result.Completion = (bool)member.Value;
                if (member.Key == "progress") result.Progress = Convert.ToDouble(member.Value);
                if (member.Key == "score") result.Score = score == null ? Convert.ToDouble(member.Value) : ScoreOf(score);
                if (member.Key != "extensions") continue;
                foreach (var extension in (Dictionary<string, object>)member.Value) result.Extensions[extension.Key] = extension.Value;
            }
            return result;
        }

        static Score ScoreOf(Dictionary<string, object> given)
        {
            return new Score { Scaled = Number(given, "scaled"), Raw = Number(given, "raw"), Min = Number(given, "min"), Max = Number(given, "max") };
        }

        static double? Number(Dictionary<string, object> of, string name)
        {
            object value;
            return of.TryGetValue(name, out value) ? Convert.ToDouble(value) : (double?)null;
        }
    }
}
