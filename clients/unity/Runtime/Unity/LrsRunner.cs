using System.Collections.Generic;
using UnityEngine;

namespace GamesLrs.Unity
{
    /// <summary>Gives each client its frames, pauses and the end of the game. Makes itself, and lives over scenes.</summary>
    [AddComponentMenu("")]
    sealed class LrsRunner : MonoBehaviour
    {
        static LrsRunner runner;
        readonly List<Client> clients = new List<Client>();
        int saved;

        internal static void Run(Client client)
        {
            if (runner == null)
            {
                // pages call it by this name
                var carrier = new GameObject("GamesLrs");
                DontDestroyOnLoad(carrier);
                runner = carrier.AddComponent<LrsRunner>();
            }
            runner.clients.Add(client);
        }

        void Update()
        {
            // a game's handler may connect another one
            for (var i = 0; i < clients.Count; i++) clients[i].Tick();
            Save();
        }

        /// <summary>Files of a page are in memory until they are saved: when something came or went, once a frame.</summary>
        void Save()
        {
            if (!WebPage.IsHere) return;
            var version = 0;
            foreach (var client in clients) version += client.Version;
            if (version == saved) return;
            saved = version;
            WebPage.Save();
        }

        void OnApplicationFocus(bool focus)
        {
            if (!focus) Pause();
        }

        void OnApplicationPause(bool paused)
        {
            if (paused) Pause();
        }

        void Pause()
        {
            foreach (var client in clients) client.Pause();
            Save();
        }

        /// <summary>By the page, when it is hidden or left.</summary>
        [UnityEngine.Scripting.Preserve]
        void OnPageHidden()
        {
            foreach (var client in clients) WebPage.SendLast(client.Last());
            Save();
        }

        /// <summary>By the page, when a teacher pauses the lesson (1) or lets it go on (0).</summary>
        [UnityEngine.Scripting.Preserve]
        void OnPagePaused(int paused)
        {
            // a game's handler may connect another one
            for (var i = 0; i < clients.Count; i++) clients[i].LessonPaused(paused == 1);
        }

        void OnApplicationQuit()
        {
            // a page must not be held up
            if (WebPage.IsHere) OnPageHidden();
            else foreach (var client in clients) client.Quit();
        }
    }
}
