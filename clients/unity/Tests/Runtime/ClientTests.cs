using System;
using System.Collections.Generic;
using System.Text;
using NUnit.Framework;

namespace GamesLrs.Tests
{
    /// <summary>That the package works in this project; what the client promises is tested elsewhere (clients/conformance).</summary>
    public class ClientTests
    {
        /// <summary>A service that stores everything.</summary>
        sealed class Service : IHttp
        {
            public readonly List<string> Bodies = new List<string>();

            public void Send(HttpRequest request, Action<HttpResponse> done)
            {
                Bodies.Add(Encoding.UTF8.GetString(request.Body));
                done(new HttpResponse { Status = 200, Text = "[]" });
            }
        }

        [Test]
        public void AStatementIsSent()
        {
            var service = new Service();
            var launch = new Launch { Endpoint = "https://lrs.example/xapi/", Auth = "Bearer a", ActivityId = "https://lrs.example/g" };
            var client = Client.Connect(new ClientOptions { Launch = launch, Http = service });
            var id = client.Completed("level/1", 0.8);
            client.Quit();
            Assert.AreEqual(1, service.Bodies.Count);
            Assert.IsTrue(service.Bodies[0].Contains("\"id\":\"" + id + "\""));
            Assert.IsTrue(service.Bodies[0].Contains("https://lrs.example/g/level/1"));
            Assert.AreEqual(0, client.Pending());
        }
    }
}
