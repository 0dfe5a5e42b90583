using System;
using System.IO;
using System.Net;
using System.Text;
using System.Threading;

namespace GamesLrs
{
    /// <summary>The transport of .NET, for games without an engine of their own for HTTP.</summary>
    public sealed class NetHttp : IHttp
    {
        const int Timeout = HttpRequest.TimeoutSeconds * 1000;

        public void Send(HttpRequest request, Action<HttpResponse> done)
        {
            ThreadPool.QueueUserWorkItem(_ => done(Exchange(request)));
        }

        static HttpResponse Exchange(HttpRequest request)
        {
            try
            {
                var web = (HttpWebRequest)WebRequest.Create(request.Url);
                // the timeouts of the class count for each step; the timer for all of them
                using (new Timer(_ => web.Abort(), null, Timeout, System.Threading.Timeout.Infinite))
                {
                    try
                    {
                        Write(web, request);
                        using (var response = (HttpWebResponse)web.GetResponse()) return Read(response);
                    }
                    catch (WebException error)
                    {
                        var response = error.Response as HttpWebResponse;
                        if (response == null) return new HttpResponse();
                        using (response) return Read(response);
                    }
                }
            }
            catch (Exception)
            {
                return new HttpResponse(); // no answer
            }
        }

        static void Write(HttpWebRequest web, HttpRequest request)
        {
            web.Method = request.Method;
            web.Timeout = web.ReadWriteTimeout = Timeout;
            web.AllowAutoRedirect = false;
            web.ServicePoint.Expect100Continue = false;
            web.ServicePoint.ConnectionLimit = 8;
            foreach (var header in request.Headers)
            {
                if (header.Key == "Content-Type") web.ContentType = header.Value;
                else web.Headers[header.Key] = header.Value;
            }
            if (request.Body == null) return;
            web.ContentLength = request.Body.Length;
            using (var stream = web.GetRequestStream()) stream.Write(request.Body, 0, request.Body.Length);
        }

        static HttpResponse Read(HttpWebResponse response)
        {
            using (var reader = new StreamReader(response.GetResponseStream(), Encoding.UTF8))
            {
                return new HttpResponse
                {
                    Status = (int)response.StatusCode,
                    Text = reader.ReadToEnd(),
                    ETag = response.Headers["ETag"],
                    RetryAfter = response.Headers["Retry-After"],
                };
            }
        }
    }
}
