using System;
using System.Collections.Generic;
using System.IO;

namespace GamesLrs
{
    /// <summary>Where the launch context comes from, to read it again after a 401.</summary>
    sealed class LaunchSource
    {
        const string FileVariable = "XAPI_LAUNCH_FILE";
        readonly ClientOptions options;

        /// <summary>Null: there is none.</summary>
        public readonly Launch Found;

        public LaunchSource(ClientOptions options)
        {
            this.options = options;
            Found = options.Launch != null && options.Launch.IsWhole ? options.Launch : Read(false);
        }

        /// <summary>A newer one for the same learner in the same game; null: there is none.</summary>
        public Launch Newer(Launch than)
        {
            if (options.Launch != null) return null;
            // sandbox renews its file, not the environment of a game that runs
            var launch = OfFile(Environment.GetEnvironmentVariable(FileVariable)) ?? Read(true);
            if (launch == null || launch.Auth == than.Auth) return null;
            return launch.Owner == than.Owner && launch.ActivityId == than.ActivityId ? launch : null;
        }

        Launch Read(bool again)
        {
            if (options.ReadPage != null) return Launch.Of(options.ReadPage(again));
            return OfEnvironment() ?? OfFiles();
        }

        static Launch OfEnvironment()
        {
            var launch = new Dictionary<string, object>();
            foreach (var name in new[] { "endpoint", "auth", "actor", "registration", "activity_id" })
                launch[name] = Environment.GetEnvironmentVariable("XAPI_" + name.ToUpperInvariant());
            return Launch.Of(Json.Write(launch));
        }

        Launch OfFiles()
        {
            var named = Environment.GetEnvironmentVariable(FileVariable);
            if (!string.IsNullOrEmpty(named)) return OfFile(named);
            var parameters = Environment.GetCommandLineArgs();
            if (parameters.Length > 1 && parameters[1].EndsWith(".json"))
            {
                var launch = OfFile(parameters[1]);
                if (launch != null) return launch;
            }
            foreach (var folder in options.LaunchFolders)
            {
                var launch = OfFile(Path.Combine(folder, "launch.json"));
                if (launch != null) return launch;
            }
            return null;
        }

        static Launch OfFile(string path)
        {
            try { return string.IsNullOrEmpty(path) || !File.Exists(path) ? null : Launch.Of(File.ReadAllText(path)); }
            catch (Exception) { return null; }
        }
    }
}
