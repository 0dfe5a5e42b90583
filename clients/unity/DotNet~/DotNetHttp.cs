using System;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading.Tasks;

namespace GamesLrs
{
    /// <summary>The transport of .NET, for games without Unity. Needs System.Net.Http, which is part of .NET.</summary>
    public sealed class DotNetHttp : IHttp
    {
        readonly HttpClient http = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false })
        {
            Timeout = TimeSpan.FromSeconds(HttpRequest.TimeoutSeconds),
        };

        public async void Send(HttpRequest request, Action<HttpResponse> done)
        {
            HttpResponse response;
            try { response = await Exchange(request).ConfigureAwait(false); }
            catch (Exception) { response = new HttpResponse(); } // no answer
            done(response);
        }

        async Task<HttpResponse> Exchange(HttpRequest request)
        {
            using (var message = new HttpRequestMessage(new HttpMethod(request.Method), request.Url))
            {
                if (request.Body != null) message.Content = new ByteArrayContent(request.Body);
                message.Headers.ExpectContinue = false;
                foreach (var header in request.Headers)
                {
                    if (header.Key != "Content-Type") message.Headers.TryAddWithoutValidation(header.Key, header.Value);
                    else message.Content.Headers.ContentType = new MediaTypeHeaderValue(header.Value);
                }
                using (var response = await http.SendAsync(message).ConfigureAwait(false))
                {
                    return new HttpResponse
                    {
                        Status = (int)response.StatusCode,
                        Text = await response.Content.ReadAsStringAsync().ConfigureAwait(false),
                        ETag = Header(response, "ETag"),
                        RetryAfter = Header(response, "Retry-After"),
                        Date = Header(response, "Date"),
                    };
                }
            }
        }

        static string Header(HttpResponseMessage response, string name)
        {
            System.Collections.Generic.IEnumerable<string> values;
            return response.Headers.TryGetValues(name, out values) ? string.Join(", ", values) : null;
        }
    }
}
