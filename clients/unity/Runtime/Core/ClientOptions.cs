using System;
using System.Collections.Generic;

namespace GamesLrs
{
    public sealed class ClientOptions
    {
        /// <summary>Null: the client looks for it in the page, the environment and launch.json.</summary>
        public Launch Launch;
        /// <summary>Whether the player agreed to statements. False: drops what waits, and queues nothing until SetConsent(true).</summary>
        public bool Consent = true;
        /// <summary>Called with status (0: none), message and statement (JSON, or null) of what was refused for good.</summary>
        public Action<int, string, string> OnError;
        /// <summary>In a browser: called with true when a teacher pauses the lesson, and with false when it goes on.</summary>
        public Action<bool> OnPause;
        /// <summary>Seconds that a statement waits for others.</summary>
        public double FlushAfter = 5;
        /// <summary>Statements that do not wait.</summary>
        public int FlushAt = 20;
        /// <summary>OnError also gets mistakes in statements, with status 0, field and remedy, before the service refuses them.
        /// Null: in debug builds.</summary>
        public bool? Debug;
        /// <summary>Of the game: every statement has it as context.revision. Null: of the platform.</summary>
        public string Version;
        /// <summary>What the game is made with. Null: of the platform.</summary>
        public string Engine;
        /// <summary>Where the game runs, such as WindowsPlayer. Null: of the platform.</summary>
        public string RunsOn;
        /// <summary>Folder of the queue. Null: of the platform, else statements wait in memory only.</summary>
        public string Folder;
        /// <summary>Null: of the platform.</summary>
        public IHttp Http;
        /// <summary>Folders in which a launch.json may lie.</summary>
        public List<string> LaunchFolders = new List<string>();
        /// <summary>Of a page in a browser: JSON of its launch context. True: it has to be a newer one.</summary>
        public Func<bool, string> ReadPage;
    }

    /// <summary>What an engine fills in.</summary>
    public static class Platform
    {
        /// <summary>Before a client connects: what the game did not set.</summary>
        public static Action<ClientOptions> Fill;
        /// <summary>After it: what calls its Tick from now on.</summary>
        public static Action<Client> Started;

        internal static void Complete(ClientOptions options)
        {
            if (Fill != null) Fill(options);
            if (options.OnError == null)
                options.OnError = (status, message, statement) => Console.Error.WriteLine("games-lrs: " + status + " " + message);
            if (options.RunsOn == null) options.RunsOn = Environment.OSVersion.Platform.ToString();
            if (options.Http == null) throw new InvalidOperationException("there is no transport: set ClientOptions.Http");
            if (options.LaunchFolders.Count > 0) return;
            options.LaunchFolders.Add(AppDomain.CurrentDomain.BaseDirectory);
            options.LaunchFolders.Add(Environment.CurrentDirectory);
        }
    }
}
