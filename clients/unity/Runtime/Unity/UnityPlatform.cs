using System.IO;
using UnityEngine;

// the linker of Unity drops a package that no scene names
[assembly: UnityEngine.Scripting.AlwaysLinkAssembly]

namespace GamesLrs.Unity
{
    /// <summary>What Client.Connect() needs to know of Unity, set before the first scene.</summary>
    static class UnityPlatform
    {
        [RuntimeInitializeOnLoadMethod(RuntimeInitializeLoadType.SubsystemRegistration)]
        static void Register()
        {
            Platform.Fill = Fill;
            Platform.Started = LrsRunner.Run;
            WebPage.Listen();
        }

        static void Fill(ClientOptions options)
        {
            if (options.Http == null) options.Http = new UnityHttp();
            if (options.Debug == null) options.Debug = Debug.isDebugBuild;
            if (options.Version == null) options.Version = Application.version;
            if (options.Engine == null) options.Engine = "Unity " + Application.unityVersion;
            if (options.RunsOn == null) options.RunsOn = Application.platform.ToString();
            if (options.Folder == null) options.Folder = Path.Combine(Application.persistentDataPath, "games-lrs");
            if (options.OnError == null)
                options.OnError = (status, message, statement) => Debug.LogWarning("games-lrs: " + status + " " + message);
            if (WebPage.IsHere && options.ReadPage == null) options.ReadPage = WebPage.Launch;
            if (options.LaunchFolders.Count > 0) return;
            // of the project in the editor; beside the executable, or the .app of macOS, in a build
            var data = Application.dataPath;
            options.LaunchFolders.Add(Path.Combine(data, ".."));
            if (Application.platform == RuntimePlatform.OSXPlayer) options.LaunchFolders.Add(Path.Combine(data, "../.."));
        }
    }
}
