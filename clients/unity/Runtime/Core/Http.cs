using System;
using System.Collections.Generic;

namespace GamesLrs
{
    public sealed class HttpRequest
    {
        public const int TimeoutSeconds = 60;
        public string Method;
        public string Url;
        public Dictionary<string, string> Headers = new Dictionary<string, string>();
        /// <summary>Null: none.</summary>
        public byte[] Body;
    }

    public sealed class HttpResponse
    {
        /// <summary>0: there was no answer.</summary>
        public int Status;
        public string Text = "";
        public string ETag;
        public string RetryAfter;
        /// <summary>The clock of the service, as in HTTP; null: it was not told.</summary>
        public string Date;
    }

    /// <summary>How requests get to the service.</summary>
    public interface IHttp
    {
        /// <summary>Calls done once, on any thread, at any time. Redirections are not followed.</summary>
        void Send(HttpRequest request, Action<HttpResponse> done);
    }

    /// <summary>For a transport that has to be asked whether it is done: with every tick.</summary>
    public interface IPolled
    {
        void Poll();
    }

    /// <summary>What the service or the client refused for good.</summary>
    public sealed class LrsException : Exception
    {
        /// <summary>As in HTTP; 0: there was no answer.</summary>
        public readonly int Status;
        public LrsException(int status, string message) : base(message) { Status = status; }
    }
}
