using System.Text;
#if UNITY_WEBGL && !UNITY_EDITOR
using System.Runtime.InteropServices;
#endif

namespace GamesLrs.Unity
{
    /// <summary>The page around a game that runs in a browser (Plugins/WebGL/games-lrs.jslib).</summary>
    static class WebPage
    {
#if UNITY_WEBGL && !UNITY_EDITOR
        public static readonly bool IsHere = true;

        [DllImport("__Internal")] static extern void GamesLrsListen();
        [DllImport("__Internal")] static extern string GamesLrsLaunch(bool again);
        [DllImport("__Internal")] static extern void GamesLrsSave();
        [DllImport("__Internal")] static extern void GamesLrsSendLast(string url, string headers, string body);
#else
        public static readonly bool IsHere = false;

        static void GamesLrsListen() { }
        static string GamesLrsLaunch(bool again) { return ""; }
        static void GamesLrsSave() { }
        static void GamesLrsSendLast(string url, string headers, string body) { }
#endif

        /// <summary>For the launch context by message, and for the moments when the page is hidden.</summary>
        public static void Listen() { GamesLrsListen(); }

        public static string Launch(bool again) { return GamesLrsLaunch(again); }

        /// <summary>Into IndexedDB, where the page has one.</summary>
        public static void Save() { GamesLrsSave(); }

        /// <summary>Goes on when the page is gone; nobody hears the answer.</summary>
        public static void SendLast(HttpRequest request)
        {
            if (request != null) GamesLrsSendLast(request.Url, Json.Write(request.Headers), Encoding.UTF8.GetString(request.Body));
        }
    }
}
