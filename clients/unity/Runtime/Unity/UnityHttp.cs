using System;
using System.Collections.Generic;
using UnityEngine.Networking;

namespace GamesLrs.Unity
{
    /// <summary>Requests by UnityWebRequest: on every platform, in the main thread only.</summary>
    sealed class UnityHttp : IHttp, IPolled
    {
        struct UnderWay
        {
            public UnityWebRequest Web;
            public Action<HttpResponse> Done;
        }

        readonly List<UnderWay> underWay = new List<UnderWay>();

        public void Send(HttpRequest request, Action<HttpResponse> done)
        {
            var web = new UnityWebRequest(request.Url, request.Method)
            {
                downloadHandler = new DownloadHandlerBuffer(),
                timeout = HttpRequest.TimeoutSeconds,
                redirectLimit = 0,
            };
            if (request.Body != null) web.uploadHandler = new UploadHandlerRaw(request.Body);
            foreach (var header in request.Headers) web.SetRequestHeader(header.Key, header.Value);
            try { web.SendWebRequest(); }
            catch (Exception)
            {
                web.Dispose(); // such as http where only https is allowed: the client tells it
                throw;
            }
            underWay.Add(new UnderWay { Web = web, Done = done });
        }

        /// <summary>Asked instead of waited for: no callback comes while the game quits.</summary>
        public void Poll()
        {
            for (var i = underWay.Count - 1; i >= 0; i--)
            {
                var one = underWay[i];
                if (!one.Web.isDone) continue;
                underWay.RemoveAt(i);
                one.Done(ResponseOf(one.Web));
                one.Web.Dispose();
            }
        }

        static HttpResponse ResponseOf(UnityWebRequest web)
        {
            return new HttpResponse
            {
                Status = (int)web.responseCode,
                Text = web.downloadHandler.text ?? "",
                ETag = web.GetResponseHeader("ETag"),
                RetryAfter = web.GetResponseHeader("Retry-After"),
                Date = web.GetResponseHeader("Date"),
            };
        }
    }
}
